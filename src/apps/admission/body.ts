// Reads the body of a review within bounds. What is refused is refused as early as it can be told: a wrong type and a declared
// length before a byte is read.
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { nestsBeyond } from '../../core/admission/index.ts';

export type Request = IncomingMessage | Http2ServerRequest;

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly message: string }
  /** The client went away. */
  | { readonly kind: 'gone' };

export type Parsed = { readonly kind: 'value'; readonly value: unknown } | Extract<Body, { kind: 'refused' }>;

/** API servers take objects of 3 MiB; escapes and the envelope may double that. */
export const longestBody = 7 * 2 ** 20;

export async function readBody(request: Request): Promise<Body> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return refused(415, 'the content type has to be application/json');
  if (Number(request.headers['content-length'] ?? 0) > longestBody) return tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > longestBody) return tooLong;
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'gone' };
  }
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  return length === 0 ? refused(400, 'the body is empty') : { kind: 'text', text: bytes.toString('utf8') };
}

const tooLong: Body = { kind: 'refused', status: 413, message: `the body is longer than ${longestBody} bytes` };

/** @param deepest how deep the body may nest; undefined for whoever never walks it, since the scan costs as much as the parser */
export function parseBody(text: string, deepest: number | undefined): Parsed {
  if (deepest !== undefined && nestsBeyond(text, deepest))
    return refused(400, `the body nests deeper than ${deepest} levels`);
  try {
    return { kind: 'value', value: JSON.parse(text) as unknown };
  } catch {
    return refused(400, 'the body is no JSON');
  }
}

function refused(status: 400 | 415, message: string): Extract<Body, { kind: 'refused' }> {
  return { kind: 'refused', status, message };
}
