// The page on which a customer follows a parcel.

import { ApiClient, ParcelStatus, ParcelView } from "./api";
import { formatEta } from "./dates";

const STEPS: ParcelStatus[] = ["announced", "picked-up", "in-transit", "out-for-delivery", "delivered"];

/** How far along its way a parcel is, from 0 to 1. */
export function progressOf(status: ParcelStatus): number {
  const step = STEPS.indexOf(status);
  return step < 0 ? 1 : step / (STEPS.length - 1);
}

/** Draws the progress bar and the expected time of arrival. */
export function renderTracking(parcel: ParcelView, locale: string): string {
  const percent = Math.round(progressOf(parcel.status) * 100);
  const eta = parcel.eta ? `<p class="eta">${formatEta(parcel.eta, locale)}</p>` : "";
  return `<section><progress max="100" value="${percent}"></progress>${eta}</section>`;
}

/** Asks again every half minute until the parcel has arrived. */
export function followParcel(api: ApiClient, trackingNumber: string, show: (parcel: ParcelView) => void): () => void {
  const timer = setInterval(async () => {
    const parcel = await api.getParcel(trackingNumber);
    show(parcel);
    if (progressOf(parcel.status) === 1) clearInterval(timer);
  }, 30_000);
  return () => clearInterval(timer);
}
