type LetGo = () => Promise<unknown>;

/** Processes and connections that would outlive the suite. */
const held = new Set<LetGo>();

/** Remembers how to release something; returns the way to forget it again. */
export function hold(letGo: LetGo): () => void {
  held.add(letGo);
  return () => held.delete(letGo);
}

/** Releases whatever is still held: an interrupted suite leaves nothing behind. */
export async function letGoOfEverything(): Promise<void> {
  await Promise.all([...held].map((letGo) => letGo()));
}
