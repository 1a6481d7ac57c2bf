import type { ProtocolId } from '@bough/core';
import { fitAnthropic } from './anthropic.ts';
import { fitGemini } from './gemini.ts';
import { fitOpenaiResponses } from './openai-responses.ts';
import type { Fit } from './request.ts';
import { fitTexts } from './texts.ts';
import { fitToolNames } from './tool-names.ts';

const asItIs: Fit = (draft) => draft;

const OWN: Readonly<Record<ProtocolId, Fit>> = {
  'anthropic-messages': fitAnthropic,
  'openai-responses': fitOpenaiResponses,
  'openai-chat': asItIs,
  gemini: fitGemini,
};

/** What every target needs, then what only this one does. */
export const fitToTarget: Fit = (draft, target, report) =>
  [fitTexts, fitToolNames, OWN[target.protocol]].reduce((current, fit) => fit(current, target, report), draft);
