import { isPlainObject } from '../blocks/plain-object.ts';
import type { NodeId, ProjectId } from '../entities/ids.ts';
import { BoughError } from '../errors/index.ts';
import { questionProblem, readQuestion } from '../questions/index.ts';

// What a person keeps beside a message. It belongs to the person, not to the conversation: no request to a model is
// made from it, and the message itself stays as it is.

export const ANNOTATION_KINDS = ['star', 'bookmark', 'note', 'verdict', 'question'] as const;
export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/** `better`, `worse`, `tied`: against the others of a comparison. `good`, `bad`: by itself. */
export const VERDICTS = ['better', 'worse', 'tied', 'good', 'bad'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Names one annotation in its project. */
export interface AnnotationKey {
  readonly nodeId: NodeId;
  readonly kind: AnnotationKind;
  /** Of a bookmark its name, of a verdict the comparison that it was given in, of a question its branch. */
  readonly name: string;
}

export interface Annotation extends AnnotationKey {
  readonly projectId: ProjectId;
  /** The words of a note, the reason of a verdict, a question as `questionText` writes it; empty otherwise. */
  readonly text: string;
  /** When it was made, or last written. */
  readonly changedAt: string;
  /** Of a verdict only. */
  readonly verdict?: Verdict;
  /** Of a verdict whose giver did not see which model said what. */
  readonly blind?: true;
}

export interface AnnotationQuery {
  readonly projectId?: ProjectId;
  /** Only beside these messages. */
  readonly nodes?: readonly NodeId[];
  readonly kinds?: readonly AnnotationKind[];
}

/** What one write changes. What is put takes the place of what has the same key. */
export interface AnnotationChange {
  readonly put: readonly Annotation[];
  /** What is not there need not be removed. */
  readonly remove: readonly AnnotationKey[];
}

export const ANNOTATION_LIMITS = {
  /** Characters of a bookmark's name. */
  name: 200,
  /** Characters of a note or a reason. */
  text: 20_000,
} as const;

export const annotationKey = ({ nodeId, kind, name }: AnnotationKey): string => JSON.stringify([nodeId, kind, name]);

/** A fixed order: two stores that hold the same give it in the same order. */
export function inAnnotationOrder(a: AnnotationKey, b: AnnotationKey): number {
  return byText(a.nodeId, b.nodeId) || byText(a.kind, b.kind) || byText(a.name, b.name);
}

/** The order of lists. */
export function newestAnnotationFirst(a: Annotation, b: Annotation): number {
  return byText(b.changedAt, a.changedAt) || inAnnotationOrder(a, b);
}

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export function isAskedAnnotation(annotation: Annotation, { projectId, nodes, kinds }: AnnotationQuery): boolean {
  return (
    (projectId === undefined || annotation.projectId === projectId) &&
    (nodes === undefined || nodes.includes(annotation.nodeId)) &&
    (kinds === undefined || kinds.includes(annotation.kind))
  );
}

/** Whether a stored value is one: a file that was edited by hand is noticed where it is read. */
export function isAnnotation(value: unknown): value is Annotation {
  if (!isPlainObject(value)) return false;
  const { kind, verdict, blind } = value;
  const texts = ['projectId', 'nodeId', 'name', 'text', 'changedAt'];
  const kinds: readonly unknown[] = ANNOTATION_KINDS;
  const verdicts: readonly unknown[] = VERDICTS;
  return (
    texts.every((field) => typeof value[field] === 'string') &&
    kinds.includes(kind) &&
    (kind === 'verdict' ? verdicts.includes(verdict) : verdict === undefined) &&
    (blind === undefined || (blind === true && kind === 'verdict'))
  );
}

/** Refuses what no store keeps: a bookmark without a name, a star with words. */
export function requireAnnotation(annotation: Annotation): void {
  const { kind, name, text } = annotation;
  if (!isAnnotation(annotation)) throw invalid('It lacks a field, or one of them has another form.');
  if (kind === 'question') requireQuestion(annotation);
  if (kind === 'bookmark' && name.trim() === '') throw invalid('A bookmark needs a name.');
  if ((kind === 'star' || kind === 'note') && name !== '') throw invalid(`A ${kind} has no name.`);
  if ((kind === 'star' || kind === 'bookmark') && text !== '') throw invalid(`A ${kind} has no text; write a note.`);
  if (kind === 'note' && text.trim() === '') throw invalid('A note without words is no note: remove it instead.');
  if (name.length > ANNOTATION_LIMITS.name)
    throw invalid(`A name has at most ${ANNOTATION_LIMITS.name} characters; this one has ${name.length}.`);
  // The parts of a question have limits of their own.
  if (kind !== 'question' && text.length > ANNOTATION_LIMITS.text)
    throw invalid(`It has at most ${ANNOTATION_LIMITS.text} characters; this one has ${text.length}.`);
}

function requireQuestion({ name, text }: Annotation): void {
  const question = readQuestion(text);
  if (question === null) throw invalid('It lacks a field, or one of them has another form.');
  if (name.trim() === '') throw invalid('A question names its branch.');
  const problem = questionProblem(question);
  if (problem !== null) throw invalid(problem);
}

const invalid = (problem: string): BoughError => new BoughError('invalid_annotation', problem);
