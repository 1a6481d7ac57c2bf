import type { z } from '@hono/zod-openapi';
import { HttpProblem } from '../problem.ts';

type Issue = z.core.$ZodIssue;

/** What is wrong with a request, in a sentence that names the field. */
export function invalidRequest(issues: readonly Issue[]): HttpProblem {
  const issue = issues[0] === undefined ? undefined : clearest(issues[0]);
  const field = issue === undefined ? '' : fieldOf(issue);
  const problem = issue === undefined ? 'is not valid.' : short(issue.message);
  return new HttpProblem(422, 'invalid_request', `${field === '' ? 'The request' : field}: ${problem}`, { field });
}

/** A key may be as long as a request. */
const MAX_SHOWN = 300;
const short = (text: string): string => (text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`);

/** An unknown key is the field that is wrong, not the object that holds it. */
function fieldOf(issue: Issue): string {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return short([...issue.path, ...(unknown === undefined ? [] : [unknown])].join('.'));
}

/**
 * A value that fits none of several forms is reported with the form that it comes closest to: of those whose own kind
 * it has, the one with the fewest problems. Otherwise all that could be said is that the input is invalid, and a
 * mistyped key would have to be guessed.
 */
function clearest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const [near] = issue.errors
    .filter((found) => found.length > 0 && !found.some(isOtherKind))
    .toSorted((a, b) => a.length - b.length);
  const inner = near?.[0];
  if (inner !== undefined) return clearest({ ...inner, path: [...issue.path, ...inner.path] });
  const forms = issue.errors.flatMap((found) => found.slice(0, 1).map(({ message }) => message));
  return forms.length === 0 ? issue : { ...issue, message: forms.join(' – or – ') };
}

const isOtherKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
