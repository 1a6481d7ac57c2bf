import type { OpenApi, Operation, Parameter, Schema } from './document.ts';
import { operationsOf, refName } from './document.ts';

/** A client for Python 3.11 and newer, in one file that needs nothing but Python. */
export function pythonClient(document: OpenApi): string {
  const operations = operationsOf(document);
  const named = [...Object.entries(document.components.schemas), ...operations.flatMap(ownResult)];
  if (new Set(named.map(([name]) => name)).size !== named.length) throw new Error('Two types have one name.');
  const types = named.map(([name, schema]) => typeDefinition(name, schema));
  const methods = operations.map(method);
  return `${HEAD}\n\n${types.join('\n')}\n\n\n${CLIENT}\n\n${methods.join('\n\n')}\n`;
}

function typeDefinition(name: string, schema: Schema): string {
  if (schema.properties === undefined) return `${name} = ${typeOf(schema)}`;
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(([field, value]) => {
    const type = typeOf(value);
    return `        ${JSON.stringify(field)}: ${required.has(field) ? type : `NotRequired[${type}]`},`;
  });
  return `${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${fields.join('\n')}\n    },\n)`;
}

/** A result that the document describes where it is given, and not by a name, gets the name of its operation. */
function ownResult({ name, result }: Operation): readonly (readonly [string, Schema])[] {
  if (result.type !== 'json' || result.schema.properties === undefined) return [];
  return [[`${name.slice(0, 1).toUpperCase()}${name.slice(1)}Result`, result.schema]];
}

function givenBy(operation: Operation): string {
  const { result } = operation;
  const [own] = ownResult(operation);
  if (own !== undefined) return JSON.stringify(own[0]);
  return result.type === 'json' ? typeOf(result.schema) : RESULTS[result.type];
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return JSON.stringify(refName(schema.$ref));
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return `Union[${several.map(typeOf).join(', ')}]`;
  // Values that are several things at once are dictionaries with more than one set of keys.
  if (schema.allOf !== undefined) return schema.allOf.length === 1 ? typeOf(schema.allOf[0] ?? {}) : 'Dict[str, Any]';
  const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const types = names.map((name) => simpleType(name, schema));
  if (types.length === 0) return 'Any';
  return types.length === 1 ? (types[0] ?? 'Any') : `Union[${types.join(', ')}]`;
}

function simpleType(name: string, schema: Schema): string {
  switch (name) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `List[${typeOf(schema.items ?? {})}]`;
    default:
      return `Dict[str, ${typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties) : 'Any'}]`;
  }
}

function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

const RESULTS = { lines: 'Iterator[Dict[str, Any]]', bytes: 'bytes', nothing: 'None' } as const;

function method(operation: Operation): string {
  const { name, summary, inPath, inQuery, inHeader, body, result } = operation;
  const takes = [
    'self',
    ...inPath.map((one) => `${pythonName(one.name)}: str`),
    ...(body === null ? [] : [`body: ${body.type === 'json' ? typeOf(body.schema) : 'bytes'}`]),
    ...([...inQuery, ...inHeader].length > 0 ? ['*'] : []),
    ...[...inQuery, ...inHeader].map(option),
  ];
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, one: string) => `{_quoted(${pythonName(one)})}`);
  const gives = givenBy(operation);
  const passes = [
    JSON.stringify(operation.method),
    `${path.includes('{') ? 'f' : ''}${JSON.stringify(path)}`,
    JSON.stringify(result.type),
    ...(body === null ? [] : ['body=body']),
    ...(inQuery.length === 0 ? [] : [`query=${dictionary(inQuery)}`]),
    ...(inHeader.length === 0 ? [] : [`headers=${dictionary(inHeader)}`]),
  ];
  return [
    `    def ${pythonName(name)}(${takes.join(', ')}) -> ${gives}:`,
    `        ${JSON.stringify(summary)}`,
    `        return self._request(${passes.join(', ')})`,
  ].join('\n');
}

function option({ as, schema, isRequired }: Parameter): string {
  return isRequired ? `${pythonName(as)}: ${typeOf(schema)}` : `${pythonName(as)}: Optional[${typeOf(schema)}] = None`;
}

function dictionary(parameters: readonly Parameter[]): string {
  return `{${parameters.map(({ name, as }) => `${JSON.stringify(name)}: ${pythonName(as)}`).join(', ')}}`;
}

const RESERVED: ReadonlySet<string> = new Set([
  'from',
  'for',
  'in',
  'is',
  'class',
  'raw',
  'import',
  'continue',
  'body',
]);

/** `createProject` is `create_project` there; a word that Python keeps for itself gets an underscore. */
function pythonName(name: string): string {
  const snake = name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return RESERVED.has(snake) ? `${snake}_` : snake;
}

const HEAD = `"""Bough's HTTP API for Python 3.11 and newer. Generated from /api/openapi.json: do not edit it, generate it.

Nothing but Python is needed. Values are dictionaries, with the names that the API has; the types say which."""

from __future__ import annotations

import contextlib
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterator, List, Literal, NotRequired, Optional, TypedDict, Union


class BoughError(Exception):
    """What went wrong, with the server's code, its status and its whole answer; without one 0 and "unreachable"."""

    def __init__(self, status: int, code: str, message: str, problem: Dict[str, Any]) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.problem = problem


def _quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _error(failed: urllib.error.HTTPError) -> BoughError:
    text = failed.read().decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    message = problem.get("detail") or problem.get("title") or text[:200]
    return BoughError(failed.code, str(problem.get("code", "unreadable")), message, problem)


@contextlib.contextmanager
def _reaching(url: str) -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as failed:
        raise BoughError(0, "unreachable", f"{url} cannot be reached: {failed!r}", {}) from failed


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as failed:
        raise BoughError(200, "unreadable", f"This is no answer of Bough: {text[:200]!r}", {}) from failed


def _lines(response: Any, url: str) -> Iterator[Dict[str, Any]]:
    rest = b""
    with response, _reaching(url):
        # Not line by line, as Python offers: there, a stream that was cut off looks like one that has ended.
        while part := response.read1(65536):
            *lines, rest = (rest + part).split(b"\\n")
            for line in lines:
                # An empty one only says that the server is alive.
                if line.strip():
                    yield _parsed(line)`;

const CLIENT = `class Bough:
    """A server of Bough. Every method is one request."""

    def __init__(
        self, url: str = "http://127.0.0.1:4870", token: Optional[str] = None, timeout: Optional[float] = 60
    ) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout

    def _request(
        self,
        method: str,
        path: str,
        gives: str,
        body: Any = None,
        query: Optional[Dict[str, Any]] = None,
        headers: Optional[Dict[str, Any]] = None,
    ) -> Any:
        asked = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._url + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        sent = {name: _text(value) for name, value in (headers or {}).items() if value is not None}
        data = None
        if isinstance(body, (bytes, bytearray)):
            data = bytes(body)
            sent.setdefault("content-type", "application/octet-stream")
        elif body is not None:
            data = json.dumps(body).encode()
            sent["content-type"] = "application/json"
        if self._token is not None:
            sent["authorization"] = "Bearer " + self._token
        request = urllib.request.Request(url, data=data, headers=sent, method=method)
        with _reaching(self._url):
            try:
                response = urllib.request.urlopen(request, timeout=self._timeout)
            except urllib.error.HTTPError as failed:
                raise _error(failed) from None
        if gives == "lines":
            return _lines(response, self._url)
        with response, _reaching(self._url):
            text = response.read()
        if gives == "nothing" or not text:
            return None
        return _parsed(text) if gives == "json" else text`;
