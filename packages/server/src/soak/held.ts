type LetGo = () => Promise<unknown>;

/** Processes and connections that would outlive the suite. */
const held = new Set<LetGo>();

/** Remembers how to let go of something; gives the way to forget it again. */
export function hold(letGo: LetGo): () => void {
  held.add(letGo);
  return () => held.delete(letGo);
}

/** Lets go of whatever is still held: an interrupted suite leaves nothing behind. */
export async function letGoOfEverything(): Promise<void> {
  await Promise.all([...held].map((letGo) => letGo()));
}
