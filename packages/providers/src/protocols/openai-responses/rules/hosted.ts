import { nearestEffort } from '../request/thinking.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, objectsOf, stringOf, typeOf } from '../wire.ts';
import type { ResponsesBody, ResponsesRule } from './context.ts';
import { rejection } from './context.ts';

// Tools that OpenAI runs itself.

const isSearch = (tool: WireItem): boolean => typeOf(tool).startsWith('web_search');
const isPainting = (tool: WireItem): boolean => typeOf(tool) === 'image_generation';

/** By the names that the refusal uses. */
function refusedBesideLeastEffort(body: ResponsesBody): readonly string[] {
  if (stringOf(objectOf(body['reasoning'])?.['effort']) !== 'minimal') return [];
  const tools = objectsOf(body['tools']);
  return [...(tools.some(isPainting) ? ['image_gen'] : []), ...(tools.some(isSearch) ? ['web_search'] : [])];
}

export const leastEffortStandsAlone: ResponsesRule = {
  id: 'OAR-TOOL-3',
  title: 'With the least effort, the model neither searches the web nor makes pictures.',
  reference: 'https://developers.openai.com/api/docs/guides/tools-web-search',
  kind: 'rejection',
  check: (body) => {
    const refused = refusedBesideLeastEffort(body).join(', ');
    const message = `The following tools cannot be used with reasoning.effort 'minimal': ${refused}.`;
    return refused === '' ? [] : [rejection('tools', message)];
  },
  repair: (body, { traits }) => {
    const effort = nearestEffort('low', traits.efforts) ?? 'low';
    return { ...body, reasoning: { ...objectOf(body['reasoning']), effort } };
  },
};

const HOSTED: ReadonlySet<string> = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
]);
const isHosted = (tool: WireItem): boolean => HOSTED.has(typeOf(tool));

export const modelRunsTools: ResponsesRule = {
  id: 'OAR-TOOL-4',
  title: 'A model that is known to run none of the hosted tools is offered none.',
  reference: 'https://developers.openai.com/api/docs/guides/tools',
  kind: 'rejection',
  // Which models run only some of them is known less well than that: the API decides.
  check: (body, { model }) =>
    model.known && model.providerTools?.length === 0
      ? objectsOf(body['tools'])
          .filter(isHosted)
          .map((tool) => rejection('tools', `Hosted tool '${typeOf(tool)}' is not supported with ${model.id}.`))
      : [],
  repair: (body) => {
    const { tools, ...rest } = body;
    const left = objectsOf(tools).filter((tool) => !isHosted(tool));
    return left.length === 0 ? rest : { ...rest, tools: left };
  },
};

/** What a hosted tool cannot do without. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  code_interpreter: ['container'],
  file_search: ['vector_store_ids'],
  mcp: ['server_label'],
};

export const hostedToolsAreComplete: ResponsesRule = {
  id: 'OAR-TOOL-5',
  title: 'Code has a container, a search of files its stores, a remote server its label.',
  reference: 'https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts',
  kind: 'rejection',
  check: (body) =>
    objectsOf(body['tools']).flatMap((tool, at) =>
      (NEEDS[typeOf(tool)] ?? [])
        .filter((key) => tool[key] == null)
        .map((key) => {
          const path = `tools[${at}].${key}`;
          return rejection(path, `Missing required parameter: '${path}'.`, 'missing_required_parameter');
        }),
    ),
};
