/** An id that nothing else has. Not `crypto.randomUUID`: pages that are served over plain HTTP do not have it. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
