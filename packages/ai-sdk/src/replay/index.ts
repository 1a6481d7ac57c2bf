import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider';
import type { ReplayReport } from '../report/index.ts';
import { warningsOf } from '../report/index.ts';
import type { Origin } from '../stamp/index.ts';
import { stampContent, stampStream } from '../stamp/reply.ts';
import type { TargetOptions } from '../target/index.ts';
import { targetOf } from '../target/index.ts';
import type { CallOptions, ReplayMiddleware, StreamedReply, WholeReply } from './middleware.ts';
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
export function boughReplay(options: ReplayOptions = {}): ReplayMiddleware {
  const outcomes = new WeakMap<object, Outcome>();
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params, model }) => {
      const target = targetOf(model, options);
      const { params: fitted, report, madeWith } = replay(options6(params), target, options);
      outcomes.set(fitted, { report, origin: { ...target.lock, madeWith } });
      options.onReport?.(report);
      return fitted as typeof fitted & typeof params;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      const outcome = outcomes.get(params);
      if (outcome === undefined) return result;
      const { content, warnings } = reply6(result);
      return {
        ...result,
        content: stampContent(content, outcome.origin),
        warnings: [...warningsOf(outcome.report), ...warnings],
      };
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream();
      const outcome = outcomes.get(params);
      if (outcome === undefined) return result;
      return { ...result, stream: stream6(result).pipeThrough(marking(outcome)) };
    },
  };
}

// Whatever the version, in the words of version 6. Version 7 adds kinds of parts, a setting and forms of files to them.
// What the rules do not know, they carry along as it is, or leave out with a line in the report.
const options6 = (options: CallOptions): LanguageModelV3CallOptions => options as LanguageModelV3CallOptions;
const reply6 = (reply: WholeReply): LanguageModelV3GenerateResult => reply as LanguageModelV3GenerateResult;
const stream6 = (reply: StreamedReply): LanguageModelV3StreamResult['stream'] =>
  reply.stream as LanguageModelV3StreamResult['stream'];

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
