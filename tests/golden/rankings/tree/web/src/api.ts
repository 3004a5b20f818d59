// Asks the gateway for parcels.

import { SessionStore } from "./session";

export type ParcelStatus = "announced" | "picked-up" | "in-transit" | "out-for-delivery" | "delivered" | "returned";

export interface ParcelView {
  trackingNumber: string;
  status: ParcelStatus;
  eta?: string;
}

/** An answer of the gateway that is no success. */
export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The client of the gateway's HTTP interface. */
export class ApiClient {
  constructor(private readonly baseUrl: string, private readonly sessions: SessionStore) {}

  async getParcel(trackingNumber: string): Promise<ParcelView> {
    return this.request<ParcelView>(`/parcels/${encodeURIComponent(trackingNumber)}`);
  }

  async listParcels(page: number): Promise<ParcelView[]> {
    return this.request<ParcelView[]>(`/parcels?page=${page}`);
  }

  private async request<T>(path: string): Promise<T> {
    const session = this.sessions.current();
    const headers: Record<string, string> = session ? { Authorization: `Bearer ${session.token}` } : {};
    const response = await fetch(this.baseUrl + path, { headers });
    if (response.status === 401) this.sessions.signOut();
    if (!response.ok) throw new ApiError(response.status, `the gateway answers ${response.status}`);
    return (await response.json()) as T;
  }
}
