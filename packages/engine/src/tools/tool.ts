import type { AttachedBlock, CanvasBlock, ProjectId, ToolDefinition } from '@bough/core';
import type { Store } from '@bough/store';
import type { CanvasDesk } from '../canvas/desk.ts';
import type { KeepFile } from './files/index.ts';

/** Whether a call runs at once, only after a person agrees, or never. */
export type ApprovalPolicy = 'auto' | 'ask' | 'never';

/** What a running tool may use. Nothing outside its project. */
export interface ToolContext {
  readonly projectId: ProjectId;
  readonly store: Pick<Store, 'search' | 'getNodes' | 'path' | 'listBranches'>;
  readonly now: () => Date;
  /** Keeps a file that the tool brings; absent where files cannot be kept. */
  readonly keepFile?: KeepFile;
  /** The project's document, as the path of the turn has it; absent where no turn runs. */
  readonly canvas?: CanvasDesk;
  /** Aborted when the turn is stopped or the tool's time is up. */
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** `built-in`, or the name of the MCP server that it comes from. */
  readonly source: string;
  /** It changes or tells what is a person's own: without a rule it needs approval, also if it is built in. */
  readonly asks?: true;
  /**
   * The name in the configuration's approval rules, where it differs: `files.read` for the tool `read` of the server
   * `files`.
   */
  readonly dottedName?: string;
  /** Returns what the model gets; throws an Error whose message the model may read. */
  readonly run: (parameters: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<string | ToolAnswer>;
}

/** What a tool answers where it is more than a text. */
export interface ToolAnswer {
  readonly text: string;
  readonly files: readonly AttachedBlock[];
  /** The version of the canvas that it made. */
  readonly canvas?: CanvasBlock;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Every call has an outcome: an error is a result too, and the model gets to read it. */
export interface ToolOutcome {
  readonly callId: string;
  readonly content: string;
  readonly files?: readonly AttachedBlock[];
  readonly canvas?: CanvasBlock;
  readonly isError: boolean;
  readonly durationMs: number;
}

export interface ListedTool {
  readonly name: string;
  /** The name that approval rules use. */
  readonly ruleName: string;
  readonly description: string;
  readonly approval: ApprovalPolicy;
  readonly source: string;
  readonly available: boolean;
}

/** The tools of a running Bough. `run` never throws. */
export interface ToolBox {
  readonly list: () => readonly ListedTool[];
  /**
   * What is sent to the model, in the given order. A tool whose server is down keeps its last known definition: leaving
   * it out would change the prefix of every branch that uses it. A name that was never known is left out.
   */
  readonly definitions: (names: readonly string[]) => readonly ToolDefinition[];
  readonly approvalOf: (name: string) => ApprovalPolicy;
  readonly run: (call: ToolCall, context: ToolContext) => Promise<ToolOutcome>;
  readonly close: () => Promise<void>;
}
