/** What was given: a patch whose key is there with no value would set it to nothing. */
export function given<Values extends object>(
  values: Values,
): { readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Values]?: Exclude<Values[Key], undefined>;
  };
}
