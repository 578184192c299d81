// Reads the body of a review within bounds. What is refused is refused as early as it can be told: a wrong type and a declared
// length before a byte is read.
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { nestsBeyond } from '../../core/admission/index.ts';

export type Request = IncomingMessage | Http2ServerRequest;

export type Body =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly message: string }
  /** The client went away. */
  | { readonly kind: 'gone' };

/** API servers take objects of 3 MiB; escapes and the envelope may double that. */
export const longestBody = 7 * 2 ** 20;

/** `deepest`: how deep the body may nest; undefined for whoever never walks it, since the scan costs as much as the parser. */
export async function readBody(request: Request, deepest: number | undefined): Promise<Body> {
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
  return parse(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks), deepest);
}

const tooLong: Body = { kind: 'refused', status: 413, message: `the body is longer than ${longestBody} bytes` };

function parse(bytes: Buffer, deepest: number | undefined): Body {
  if (bytes.length === 0) return refused(400, 'the body is empty');
  if (deepest !== undefined && nestsBeyond(bytes, deepest))
    return refused(400, `the body nests deeper than ${deepest} levels`);
  try {
    return { kind: 'value', value: JSON.parse(bytes.toString('utf8')) as unknown };
  } catch {
    return refused(400, 'the body is no JSON');
  }
}

function refused(status: 400 | 415, message: string): Body {
  return { kind: 'refused', status, message };
}
