/**
 * True for data that says nothing: blank, or the mark that some servers end a stream with. Asked of every event, so
 * that an event that is an object is told by its first character.
 */
export function saysNothing(data: string): boolean {
  if (data.startsWith('{')) return false;
  const text = data.trim();
  return text === '' || text === '[DONE]';
}
