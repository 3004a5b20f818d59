import { SessionStore } from "../src/session";

class MemoryStorage {
  private readonly items = new Map<string, string>();
  getItem(key: string) { return this.items.get(key) ?? null; }
  setItem(key: string, value: string) { this.items.set(key, value); }
  removeItem(key: string) { this.items.delete(key); }
}

test("an expired session is signed out", () => {
  const store = new SessionStore(new MemoryStorage() as unknown as Storage, () => 1000);
  store.signIn({ userId: "u1", token: "t", expiresAt: 999 });
  expect(store.current()).toBeUndefined();
});
