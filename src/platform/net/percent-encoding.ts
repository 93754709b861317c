/** A percent-encoded text without its encoding; null if a % is not followed by the bytes of a character. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
