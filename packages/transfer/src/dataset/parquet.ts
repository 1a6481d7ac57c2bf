import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { DatasetShape } from './options.ts';
import type { Row } from './shapes.ts';

// Columns are nested as the programs that train models expect them, so that a row that is read back has the fields of
// the row in JSON. Tools are JSON text: their schemas have no form in common.

const text = (name: string): readonly SchemaElement[] => [
  { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
];

const group = (name: string, ...fields: readonly (readonly SchemaElement[])[]): readonly SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: fields.length },
  ...fields.flat(),
];

const list = (name: string, element: readonly SchemaElement[]): readonly SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...element,
];

const PARTS = list(
  'content',
  group(
    'element',
    text('type'),
    text('text'),
    group('image_url', text('url')),
    group('file', text('filename'), text('url')),
  ),
);

const messages = (name: string, withFiles: boolean): readonly SchemaElement[] =>
  list(
    name,
    group(
      'element',
      text('role'),
      withFiles ? PARTS : text('content'),
      text('reasoning_content'),
      list(
        'tool_calls',
        group('element', text('id'), text('type'), group('function', text('name'), text('arguments'))),
      ),
      text('tool_call_id'),
    ),
  );

function columnsOf(shape: DatasetShape, withFiles: boolean): Readonly<Record<string, readonly SchemaElement[]>> {
  const of = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, messages(name, withFiles)]));
  const tools = { tools: text('tools') };
  switch (shape) {
    case 'messages':
      return { ...of('messages'), ...tools };
    case 'prompt-completion':
      return { ...of('prompt', 'completion'), ...tools };
    case 'preference':
      return { ...of('prompt', 'chosen', 'rejected'), ...tools };
    case 'sharegpt':
      return { conversations: list('conversations', group('element', text('from'), text('value'))), ...tools };
  }
}

/** How much is kept until it is written: rows of one group stand together in the file. */
const GROUP_ROWS = 1000;
const GROUP_BYTES = 16_000_000;

/** Takes rows and gives the bytes of a Parquet file, a group of rows at a time. */
export function createParquetEncoder(shape: DatasetShape, withFiles: boolean, createdBy: string) {
  const columns = columnsOf(shape, withFiles);
  const names = Object.keys(columns);
  const schema: SchemaElement[] = [{ name: 'root', num_children: names.length }, ...Object.values(columns).flat()];
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema, createdBy, statistics: false });
  let rows: Row[] = [];
  let size = 0;

  const taken = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    // Its offset counts what was written in all; the index, what is in the buffer.
    writer.index = 0;
    return bytes;
  };
  const write = (): Uint8Array => {
    if (rows.length > 0) {
      const columnData = names.map((name) => ({ name, data: rows.map((row) => valueOf(name, row)) }));
      void parquet.write({ columnData, rowGroupSize: rows.length });
    }
    rows = [];
    size = 0;
    return taken();
  };
  return {
    /** `bytes` is about how large the row is. */
    add: (row: Row, bytes: number): Uint8Array | null => {
      rows.push(row);
      size += bytes;
      return rows.length >= GROUP_ROWS || size >= GROUP_BYTES ? write() : null;
    },
    end: (): Uint8Array => {
      const last = write();
      void parquet.finish();
      return Buffer.concat([last, taken()]);
    },
  };
}

function valueOf(name: string, row: Row): unknown {
  const value = row[name];
  return name === 'tools' && value !== undefined && typeof value !== 'string' ? JSON.stringify(value) : value;
}
