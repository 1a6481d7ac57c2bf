/** Drops undefined values: a patch with a key but no value would set the field to nothing. */
export function given<Values extends object>(
  values: Values,
): { readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Values]?: Exclude<Values[Key], undefined>;
  };
}
