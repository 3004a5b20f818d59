// Written for users of the embedded widget.

export interface Session {
  userId: string;
  token: string;
  expiresAt: number;
}

export declare class ApiClient {
  constructor(baseUrl: string, sessions: unknown);
  getParcel(trackingNumber: string): Promise<unknown>;
  listParcels(page: number): Promise<unknown[]>;
}

export declare function isTrackingNumber(text: string): boolean;
