/** Whether a name contains what was typed, ignoring case. */
export function matches(name: string, typed: string): boolean {
  return name.toLocaleLowerCase().includes(typed.trim().toLocaleLowerCase());
}
