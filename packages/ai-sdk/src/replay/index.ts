import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Middleware,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { ReplayReport } from '../report/index.ts';
import { warningsOf } from '../report/index.ts';
import type { Origin } from '../stamp/index.ts';
import { stampContent, stampStream } from '../stamp/reply.ts';
import type { TargetOptions } from '../target/index.ts';
import { targetOf } from '../target/index.ts';
import type { ReplayRules } from './prompt.ts';
import { replay } from './prompt.ts';

export interface ReplayOptions extends ReplayRules, TargetOptions {
  /** Called before each request with what happens to every message, and which settings were changed. */
  readonly onReport?: (report: ReplayReport) => void;
}

/** What is known about a request between sending it and its reply. */
interface Outcome {
  readonly report: ReplayReport;
  readonly origin: Origin;
}

/**
 * Applies Bough's replay rules before a model is called: `wrapLanguageModel({ model, middleware: boughReplay() })`. On
 * the way in, the history becomes one that this model accepts, and every change is reported; on the way out, each part
 * of the reply is stamped with its issuer, which later requests need to know.
 */
export function boughReplay(options: ReplayOptions = {}): LanguageModelV3Middleware {
  const outcomes = new WeakMap<LanguageModelV3CallOptions, Outcome>();
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params, model }) => {
      const target = targetOf(model, options);
      const { params: fitted, report, madeWith } = replay(params, target, options);
      outcomes.set(fitted, { report, origin: { ...target.lock, madeWith } });
      options.onReport?.(report);
      return fitted;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      const outcome = outcomes.get(params);
      if (outcome === undefined) return result;
      return {
        ...result,
        content: stampContent(result.content, outcome.origin),
        warnings: [...warningsOf(outcome.report), ...result.warnings],
      };
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream();
      const outcome = outcomes.get(params);
      if (outcome === undefined) return result;
      return { ...result, stream: result.stream.pipeThrough(marking(outcome)) };
    },
  };
}

function marking({ report, origin }: Outcome): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  const mark = stampStream(origin);
  return new TransformStream({
    transform(part, controller) {
      controller.enqueue(
        part.type === 'stream-start' ? { ...part, warnings: [...warningsOf(report), ...part.warnings] } : mark(part),
      );
    },
  });
}
