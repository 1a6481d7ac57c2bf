import type { Envelope, EnvelopeRequest, Lock, ThinkingSetting } from '@bough/core';
import { isPlainObject, isProviderTool, providerToolsSetting, replyLimits, UnknownIdError } from '@bough/core';
import { ConflictError } from '@bough/store';
import { RequestError } from '../admit/errors.ts';
import { checkModel } from '../branches/model.ts';
import { checkTools } from '../branches/tools.ts';
import type { Environment } from '../environment.ts';
import { checkSecrets } from '../branches/provider-tools.ts';
import { changeList, readList } from './document.ts';

export type PresetEnvelope = Omit<Envelope, 'allowedTools' | 'choices' | 'summaries' | 'compacting'>;

/** An envelope with a name, from which projects and branches can be made. */
export interface Preset {
  readonly id: string;
  /** No two presets share one. */
  readonly name: string;
  readonly envelope: PresetEnvelope;
  /** What a project is made with if nothing else is asked for. At most one is. */
  readonly isDefault: boolean;
}

/** Why a preset cannot be used as it is. */
export interface PresetProblem {
  readonly code: 'provider_gone' | 'model_gone' | 'tools_gone' | 'provider_not_ready';
  readonly message: string;
}

export interface NewPreset extends PresetWish {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
}

type PresetWish = { readonly [Key in keyof PresetEnvelope]?: PresetEnvelope[Key] | undefined } & {
  readonly isDefault?: boolean | undefined;
};

export type PresetChange = Omit<PresetWish, 'maxTokens'> & {
  readonly name?: string | undefined;
  /** Null: as many as the model allows. */
  readonly maxTokens?: number | null | undefined;
};

export const listPresets = (env: Environment): Promise<readonly Preset[]> => readList(env, 'presets', isPreset);

export async function createPreset(env: Environment, input: NewPreset): Promise<Preset> {
  const { name, isDefault = false, ...wish } = input;
  await requireUsable(env, input);
  checkSecrets(wish.providerTools ?? [], env.providers.get(wish.provider).secretOf);
  const preset: Preset = { id: env.ids.item(), name, isDefault, envelope: envelopeOf(PLAIN, wish) };
  return changeList(env, 'presets', isPreset, (presets) => {
    requireFree(presets, preset);
    return { items: [...withoutDefault(presets, preset), preset], result: preset };
  });
}

const PLAIN: PresetEnvelope = { provider: '', model: '', systemPrompt: null, tools: [], thinking: 'medium' };

export async function changePreset(env: Environment, ref: string, change: PresetChange): Promise<Preset> {
  const before = findIn(await listPresets(env), ref);
  const { name, isDefault, ...asked } = change;
  const wish = { ...asked, ...lockAsked(env, before.envelope, asked) };
  await requireUsable(env, { provider: wish.provider, model: wish.model, tools: wish.tools });
  checkSecrets(wish.providerTools ?? [], env.providers.get(wish.provider ?? before.envelope.provider).secretOf);
  return changeList(env, 'presets', isPreset, (presets) => {
    const found = findIn(presets, before.id);
    const preset: Preset = {
      id: found.id,
      name: name ?? found.name,
      isDefault: isDefault ?? found.isDefault,
      envelope: envelopeOf(found.envelope, wish),
    };
    const others = presets.filter(({ id }) => id !== preset.id);
    requireFree(others, preset);
    const items = withoutDefault(presets, preset).map((each) => (each.id === preset.id ? preset : each));
    return { items, result: preset };
  });
}

export async function deletePreset(env: Environment, ref: string): Promise<void> {
  await changeList(env, 'presets', isPreset, (presets) => {
    const { id } = findIn(presets, ref);
    return { items: presets.filter((each) => each.id !== id), result: undefined };
  });
}

/**
 * The preset that something new is made from: the one asked for, or the default one. Of the default one, only what
 * exists: it must never keep a project from being made.
 */
export async function chosenPreset(
  env: Environment,
  wanted: string | null | undefined,
  requested: EnvelopeRequest,
): Promise<Preset | null> {
  if (wanted === null) return null;
  const presets = await listPresets(env);
  const preset = wanted === undefined ? presets.find(({ isDefault }) => isDefault) : findIn(presets, wanted);
  if (preset === undefined) return null;
  const known = new Set(env.tools.list().map(({ name }) => name));
  const { provider, model, ...others } = preset.envelope;
  const rest = { ...others, tools: others.tools.filter((name) => known.has(name)) };
  const isKnown = env.providers.list().some(({ deployment }) => deployment.id === provider);
  if (isKnown || requested.provider !== undefined) return { ...preset, envelope: { provider, model, ...rest } };
  if (wanted !== undefined) throw unusable(preset, `there is no provider "${provider}" here.`);
  const lock = env.providers.defaults(null);
  return { ...preset, envelope: { ...lock, ...rest } };
}

/** The refusal of a preset's own model, as what it is; any other error stays itself. */
export function presetRefused(preset: Preset, envelope: Envelope, error: unknown): unknown {
  const isOwn = envelope.provider === preset.envelope.provider && envelope.model === preset.envelope.model;
  if (!isOwn || !(error instanceof RequestError) || error.code !== 'unknown_model') return error;
  return unusable(preset, error.message);
}

function unusable({ name, envelope: { provider, model } }: Preset, why: string): RequestError {
  return new RequestError(
    'preset_unusable',
    `The preset "${name}" uses ${provider}/${model}, which is gone: ${why} Choose another model for it.`,
  );
}

/** What keeps a preset from being used as it is. Known models cost nothing; for others the vendor's list is read. */
export async function presetProblem(env: Environment, preset: Preset): Promise<PresetProblem | null> {
  const { provider: id, model, tools } = preset.envelope;
  const provider = env.providers.list().find(({ deployment }) => deployment.id === id);
  if (provider === undefined) return { code: 'provider_gone', message: `There is no provider "${id}" here.` };
  const { label } = provider.deployment;
  const { existence } = await provider.findModel(model, 'calling');
  if (existence === 'missing') return { code: 'model_gone', message: `${label} has no model "${model}".` };
  if (provider.keyProblem !== null) return { code: 'provider_not_ready', message: provider.keyProblem.message };
  const known = new Set(env.tools.list().map(({ name }) => name));
  const gone = tools.filter((name) => !known.has(name));
  return gone.length === 0
    ? null
    : { code: 'tools_gone', message: `These tools are gone and left out: ${gone.join(', ')}.` };
}

/** Another provider brings its own model: the old one's name means nothing to it. */
function lockAsked(env: Environment, before: PresetEnvelope, { provider, model }: PresetChange): Partial<Lock> {
  if (provider === undefined && model === undefined) return {};
  const own = provider === undefined || provider === before.provider;
  const standard = own ? before.model : env.providers.get(provider).deployment.defaultModel;
  return { provider: provider ?? before.provider, model: model ?? standard };
}

async function requireUsable(
  env: Environment,
  { provider, model, tools = [] }: Pick<PresetChange, 'provider' | 'model' | 'tools'>,
): Promise<void> {
  checkTools(env, tools);
  if (provider !== undefined && model !== undefined) await checkModel(env, { provider, model }, null);
}

function requireFree(others: readonly Preset[], { name }: Preset): void {
  if (others.some((other) => other.name === name))
    throw new ConflictError('name_taken', `There is a preset "${name}" already. Choose another name.`, name);
}

function withoutDefault(presets: readonly Preset[], { id, isDefault }: Preset): readonly Preset[] {
  if (!isDefault) return presets;
  return presets.map((each) => (each.isDefault && each.id !== id ? { ...each, isDefault: false } : each));
}

/** By id, otherwise by name. */
function findIn(presets: readonly Preset[], ref: string): Preset {
  const found = presets.find(({ id }) => id === ref) ?? presets.find(({ name }) => name === ref);
  if (found === undefined) throw new UnknownIdError('preset', ref);
  return found;
}

function envelopeOf(before: PresetEnvelope, wish: Omit<PresetChange, 'name' | 'isDefault'>): PresetEnvelope {
  const { maxTokens = before.maxTokens, failEarly = before.failEarly } = wish;
  return {
    provider: wish.provider ?? before.provider,
    model: wish.model ?? before.model,
    systemPrompt: wish.systemPrompt === undefined ? before.systemPrompt : wish.systemPrompt,
    tools: wish.tools ?? before.tools,
    thinking: wish.thinking ?? before.thinking,
    ...replyLimits(maxTokens, failEarly),
    ...providerToolsSetting(wish.providerTools ?? before.providerTools),
  };
}

function isPreset(value: unknown): value is Preset {
  if (!isPlainObject(value)) return false;
  const { id, name, isDefault, envelope } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof isDefault !== 'boolean') return false;
  if (!isPlainObject(envelope)) return false;
  const { provider, model, systemPrompt, tools, thinking, maxTokens, failEarly, providerTools } = envelope;
  return (
    typeof provider === 'string' &&
    typeof model === 'string' &&
    (systemPrompt === null || typeof systemPrompt === 'string') &&
    Array.isArray(tools) &&
    tools.every((tool) => typeof tool === 'string') &&
    isThinking(thinking) &&
    (maxTokens === undefined || typeof maxTokens === 'number') &&
    (failEarly === undefined || typeof failEarly === 'boolean') &&
    (providerTools === undefined || (Array.isArray(providerTools) && providerTools.every(isProviderTool)))
  );
}

function isThinking(value: unknown): value is ThinkingSetting {
  if (typeof value === 'string') return ['off', 'low', 'medium', 'high'].includes(value);
  return isPlainObject(value) && typeof value['budgetTokens'] === 'number';
}
