import type { BranchView, ModelView } from '@bough/api/client';

type Chosen = BranchView['providerTools'];
type Offered = ModelView['providerTools'];
export type ProviderToolName = Chosen[number]['tool'];
type Settings = NonNullable<Chosen[number]['settings']>;

/** A tool of the provider as it is being set: every setting as a person writes it. */
export interface ToolForm {
  readonly tool: ProviderToolName;
  readonly on: boolean;
  /** By the setting's name; the parts of a place are `userLocation.city` and so on. */
  readonly values: Readonly<Record<string, string>>;
}

const LISTS: ReadonlySet<string> = new Set(['allowedDomains', 'blockedDomains', 'vectorStores', 'allowedTools']);
const COUNTS: ReadonlySet<string> = new Set(['maxUses', 'maxResults']);
const PLACE = ['city', 'region', 'country', 'timezone'] as const;

/** The fields of a tool's settings, in the order in which they are offered. */
export function fieldsOf(settings: readonly string[]): readonly string[] {
  return settings.flatMap((name) => (name === 'userLocation' ? PLACE.map((part) => `userLocation.${part}`) : [name]));
}

export const isCount = (field: string): boolean => COUNTS.has(field);
export const isList = (field: string): boolean => LISTS.has(field);

/** The forms of what a model offers. A branch may have a tool twice (two servers): the first of them is set here. */
export function formsOf(offered: Offered, chosen: Chosen): readonly ToolForm[] {
  return offered.map(({ tool, settings }) => {
    const known = chosen.find((each) => each.tool === tool);
    const values = fieldsOf(settings).map((field) => [field, written(known?.settings, field)] as const);
    return { tool, on: known !== undefined, values: Object.fromEntries(values) };
  });
}

function written(settings: Settings | undefined, field: string): string {
  const [name = '', part] = field.split('.');
  const value: unknown = settings?.[name as keyof Settings];
  if (Array.isArray(value)) return value.join(', ');
  if (part !== undefined && typeof value === 'object' && value !== null) {
    return written(value, part);
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The required settings that are still empty, of the tools that are on. */
export function missingIn(forms: readonly ToolForm[], offered: Offered): readonly string[] {
  return forms.flatMap(({ tool, on, values }) => {
    const required = offered.find((each) => each.tool === tool)?.required ?? [];
    return on ? required.filter((field) => (values[field] ?? '').trim() === '') : [];
  });
}

/** What the branch is given: the forms, and untouched what the forms do not show. */
export function chosenBy(forms: readonly ToolForm[], before: Chosen): Chosen {
  const rest = before.filter(
    (each, index) =>
      !forms.some(({ tool }) => tool === each.tool) || before.findIndex(({ tool }) => tool === each.tool) !== index,
  );
  const on = forms.flatMap(({ tool, on: isOn, values }): Chosen => {
    if (!isOn) return [];
    const settings = settingsOf(values);
    return [Object.keys(settings).length === 0 ? { tool } : { tool, settings }];
  });
  return [...on, ...rest.filter(({ tool }) => !forms.some((form) => form.tool === tool && !form.on))];
}

function settingsOf(values: ToolForm['values']): Settings {
  const settings: Record<string, unknown> = {};
  const place: Record<string, string> = {};
  for (const [field, value] of Object.entries(values)) {
    const text = value.trim();
    if (text === '') continue;
    const [name = '', part] = field.split('.');
    if (part !== undefined) place[part] = text;
    else if (LISTS.has(name)) settings[name] = text.split(/[\s,]+/).filter((each) => each !== '');
    else settings[name] = COUNTS.has(name) ? Number(text) : text;
  }
  return { ...settings, ...(Object.keys(place).length === 0 ? {} : { userLocation: place }) };
}

/** Switches one tool on or off, with the settings that it had. */
export function switched(chosen: Chosen, tool: ProviderToolName, on: boolean): Chosen {
  return on ? [...chosen, { tool }] : chosen.filter((each) => each.tool !== tool);
}
