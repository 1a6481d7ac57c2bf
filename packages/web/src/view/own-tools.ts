/** Bough's own tools: what describes them to a model says little to a person, and in English alone. */
const OWN = [
  'current_time',
  'calculator',
  'search_project',
  'read_node',
  'canvas_read',
  'canvas_replace',
  'canvas_append',
] as const;

export const ownTool = (name: string): (typeof OWN)[number] | undefined => OWN.find((each) => each === name);
