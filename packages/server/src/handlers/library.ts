import type { PresetView, PromptView } from '@bough/api';
import { routes } from '@bough/api';
import type { Engine, Preset, Prompt } from '@bough/engine';
import { providerToolView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

export function libraryHandlers(app: App, { engine }: Parts): void {
  app.openapi(routes.listPresets, async (context) => {
    const presets = await engine.listPresets();
    return context.json({ presets: await Promise.all(presets.map((preset) => presetView(engine, preset))) }, 200);
  });
  app.openapi(routes.createPreset, async (context) => {
    const preset = await engine.createPreset(context.req.valid('json'));
    return context.json({ preset: await presetView(engine, preset) }, 201);
  });
  app.openapi(routes.updatePreset, async (context) => {
    const preset = await engine.changePreset(context.req.valid('param').presetId, context.req.valid('json'));
    return context.json({ preset: await presetView(engine, preset) }, 200);
  });
  app.openapi(routes.deletePreset, async (context) => {
    await engine.deletePreset(context.req.valid('param').presetId);
    return context.body(null, 204);
  });

  app.openapi(routes.listPrompts, async (context) =>
    context.json({ prompts: (await engine.listPrompts()).map(promptView) }, 200),
  );
  app.openapi(routes.createPrompt, async (context) => {
    const { tags = [], ...prompt } = context.req.valid('json');
    return context.json({ prompt: promptView(await engine.createPrompt({ ...prompt, tags })) }, 201);
  });
  app.openapi(routes.updatePrompt, async (context) => {
    const prompt = await engine.changePrompt(context.req.valid('param').promptId, context.req.valid('json'));
    return context.json({ prompt: promptView(prompt) }, 200);
  });
  app.openapi(routes.deletePrompt, async (context) => {
    await engine.deletePrompt(context.req.valid('param').promptId);
    return context.body(null, 204);
  });
  app.openapi(routes.importPrompts, async (context) => {
    const { prompts } = context.req.valid('json');
    const inputs = prompts.map(({ tags = [], ...prompt }) => ({ ...prompt, tags }));
    return context.json(await engine.importPrompts(inputs), 200);
  });

  app.openapi(routes.getTitleModel, async (context) => context.json({ model: await engine.titleModel() }, 200));
  app.openapi(routes.setTitleModel, async (context) => {
    await engine.setTitleModel(context.req.valid('json').model);
    return context.body(null, 204);
  });
}

async function presetView(engine: Engine, preset: Preset): Promise<PresetView> {
  const { id, name, isDefault, envelope } = preset;
  const {
    provider,
    model,
    systemPrompt,
    tools,
    thinking,
    maxTokens = null,
    failEarly = false,
    providerTools,
  } = envelope;
  const found = await engine.presetProblem(preset);
  const problem = found === null ? null : { code: found.code, message: found.message };
  const runs = providerTools === undefined ? {} : { providerTools: providerTools.map(providerToolView) };
  const made = { provider, model, systemPrompt, tools: [...tools], thinking, maxTokens, failEarly, ...runs };
  return { id, name, ...made, isDefault, problem };
}

const promptView = ({ id, title, text, tags }: Prompt): PromptView => ({ id, title, text, tags: [...tags] });
