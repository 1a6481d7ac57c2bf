/** How a protocol expects its key. The shell variable `$API_KEY` takes its place. */
export function keyHeaders(protocol: string): Readonly<Record<string, string>> {
  switch (protocol) {
    case 'anthropic-messages':
      return { 'x-api-key': '$API_KEY' };
    case 'gemini':
      return { 'x-goog-api-key': '$API_KEY' };
    default:
      return { authorization: 'Bearer $API_KEY' };
  }
}
