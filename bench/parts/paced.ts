// Reviews by the clock, whether or not answers have come: waiting for a slow answer would hide it. Sent by vegeta, in Go: beside a server that
// answers in a millisecond or two, the collections of a load in Node were most of what a 99th percentile showed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { goTool } from './go-tool.ts';
import type { Bodies, Target } from './load.ts';

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Milliseconds from when a review was due to its answer. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Throws where an answer is missing or is not 200. */
export async function paced(target: Target, bodies: Bodies, pace: Pace): Promise<Latencies> {
  const vegeta = goTool('github.com/tsenart/vegeta/v12', 'v12.12.0');
  const folder = mkdtempSync(join(tmpdir(), 'fairway-paced-'));
  try {
    const ca = join(folder, 'ca.crt');
    const results = join(folder, 'results');
    writeFileSync(ca, target.ca);
    await attack(vegeta, targets(target, bodies, pace), [...flags(pace), `-root-certs=${ca}`, `-output=${results}`]);
    return latencies(spawnSync(vegeta, ['report', '-type=json', results], { encoding: 'utf8' }).stdout, pace);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function flags({ perSecond, seconds, connections }: Pace): readonly string[] {
  const sockets = [`-connections=${connections}`, `-max-connections=${connections}`, '-http2=false', '-timeout=30s'];
  return ['-format=json', '-lazy', `-rate=${perSecond}`, `-duration=${seconds}s`, ...sockets];
}

/** A line for each review, made as they are taken. */
function* targets({ serverName, port, path }: Target, bodies: Bodies, { perSecond, seconds }: Pace): Generator<string> {
  const to = {
    method: 'POST',
    url: `https://${serverName}:${port}${path}`,
    header: { 'Content-Type': ['application/json'] },
  };
  for (let i = 0; i < perSecond * seconds; i++)
    yield `${JSON.stringify({ ...to, body: bodies(i).toString('base64') })}\n`;
}

async function attack(vegeta: string, lines: Iterable<string>, args: readonly string[]): Promise<void> {
  const child = spawn(vegeta, ['attack', ...args], { stdio: ['pipe', 'ignore', 'pipe'] });
  try {
    const [said] = await Promise.all([text(child.stderr), pipeline(Readable.from(lines), child.stdin)]);
    if (said !== '') throw new Error(`vegeta: ${said}`);
  } finally {
    child.kill();
  }
}

interface Report {
  readonly requests: number;
  readonly success: number;
  readonly errors: readonly string[];
  /** Nanoseconds. */
  readonly latencies: Readonly<Record<'50th' | '99th' | 'max', number>>;
}

function latencies(json: string, { perSecond, seconds }: Pace): Latencies {
  const { requests, success, errors, latencies: taken } = JSON.parse(json) as Report;
  // The clock may end before the last ones are due.
  if (requests < 0.99 * perSecond * seconds || success !== 1)
    throw new Error(`${requests} answers, ${success * 100} % of them good: ${errors.join(', ')}`);
  return { p50: taken['50th'] / 1e6, p99: taken['99th'] / 1e6, longest: taken.max / 1e6 };
}
