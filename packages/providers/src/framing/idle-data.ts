/**
 * True for data that says nothing: blank, or the marker with which some servers end a stream. Called for every event,
 * so an event that is an object is recognised by its first character.
 */
export function saysNothing(data: string): boolean {
  if (data.startsWith('{')) return false;
  const text = data.trim();
  return text === '' || text === '[DONE]';
}
