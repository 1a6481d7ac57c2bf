import { isPlainObject } from '@bough/core';

/** A node as Loom stores it. Fields that Bough does not know stay as they are, and so does a message in an old form. */
export type NodeFile = Readonly<Record<string, unknown>>;

/**
 * What Bough adds, in the place that Loom leaves to others. Each field is optional: a missing one follows from the
 * rest.
 */
export const OWN = 'bough';

type Fields = Readonly<Record<string, unknown>>;

export const ownOf = (file: NodeFile): Fields => objectIn(objectIn(objectIn(file, 'metadata'), 'custom_data'), OWN);

/** The file with another part of Bough's; everything else in it stays. */
export function withOwnPart(file: NodeFile, own: Fields): NodeFile {
  const metadata = objectIn(file, 'metadata');
  const custom = objectIn(metadata, 'custom_data');
  return { ...file, metadata: { ...metadata, custom_data: { ...custom, [OWN]: own } } };
}

export function withOwn(file: NodeFile, changes: Fields): NodeFile {
  return withOwnPart(file, { ...ownOf(file), ...changes });
}

export function objectIn(value: Fields, name: string): Fields {
  const found = value[name];
  return isPlainObject(found) ? found : {};
}
