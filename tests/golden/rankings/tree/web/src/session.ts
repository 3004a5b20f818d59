// The session of a customer: who is signed in, and until when.

export interface Session {
  userId: string;
  token: string;
  expiresAt: number;
}

const STORAGE_KEY = "parcel.session";

/** Keeps the session in the storage of the browser. */
export class SessionStore {
  constructor(private readonly storage: Storage, private readonly now: () => number = Date.now) {}

  /** The session of this customer, unless it has expired. */
  current(): Session | undefined {
    const text = this.storage.getItem(STORAGE_KEY);
    if (text === null) return undefined;
    const session = JSON.parse(text) as Session;
    if (session.expiresAt <= this.now()) {
      this.signOut();
      return undefined;
    }
    return session;
  }

  signIn(session: Session): void {
    this.storage.setItem(STORAGE_KEY, JSON.stringify(session));
  }

  signOut(): void {
    this.storage.removeItem(STORAGE_KEY);
  }
}
