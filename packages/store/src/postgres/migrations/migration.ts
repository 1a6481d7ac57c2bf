/** One step of the schema. Once released it is never changed: what it did is in somebody's database. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
}
