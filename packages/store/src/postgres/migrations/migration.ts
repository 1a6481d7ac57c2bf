/** One step of the schema. Never changed once released: somebody's database has already run it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}
