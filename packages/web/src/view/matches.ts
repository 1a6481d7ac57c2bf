/** Whether a name contains what was typed, whatever its case. */
export function matches(name: string, typed: string): boolean {
  return name.toLocaleLowerCase().includes(typed.trim().toLocaleLowerCase());
}
