import type { Config } from '../config/index.ts';
import { HttpProblem } from '../problem.ts';

/** On a server whose operator decides alone, nobody changes what runs there or where keys go. */
export function requireOpen({ pageLocked }: Pick<Config, 'pageLocked'>): void {
  if (!pageLocked) return;
  const detail = 'This server keeps its settings locked (BOUGH_PAGE_SETTINGS). Change its configuration file instead.';
  throw new HttpProblem(403, 'settings_locked', detail);
}

export function setInFile(what: string, { filePath }: Pick<Config, 'filePath'>): HttpProblem {
  return new HttpProblem(409, 'set_in_file', `${what} comes from ${filePath}, which decides. Change it there.`);
}

export function invalidField(field: string, problem: string): HttpProblem {
  return new HttpProblem(422, 'invalid_configuration', `${field}: ${problem}`, { field });
}
