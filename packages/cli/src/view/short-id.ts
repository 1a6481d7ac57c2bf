/**
 * An id as it is listed: the first eight letters of one that Bough made name it. Those of Loom all begin alike, and
 * ResearchTree calls a branch by its name: such ids are shown whole.
 */
export const shortId = (id: string): string => (/^[0-9a-f]{8}/i.test(id) ? id.slice(0, 8) : id);
