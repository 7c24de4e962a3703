/** Whether a method is safe (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return /^(get|head|options|trace)$/i.test(method);
}
