import { isPostalCode, isTrackingNumber } from "../src/validate";

test("a wrong check digit is refused", () => {
  expect(isTrackingNumber("7700000000011")).toBe(false);
});

test("a postal code has five digits", () => {
  expect(isPostalCode("10115")).toBe(true);
  expect(isPostalCode("1011")).toBe(false);
});
