// Reads a run's log while the container runtime writes it: CRI's format, a line each of `TIME STREAM P|F TEXT`, where P is a piece of a
// line that goes on in the next. Hands out whole lines.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

type Stream = 'stdout' | 'stderr';

interface FollowOptions {
  readonly file: string;
  readonly onLine: (stream: Stream, text: string) => void;
}

const pauseMs = 100;
/** What a termination message may be made of. */
const keptLines = 80;
const blockBytes = 64 * 1024;

export class LogFollower {
  readonly #options: FollowOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #decoder = new StringDecoder('utf8');
  readonly #pieces: Record<Stream, string> = { stdout: '', stderr: '' };
  readonly #last: string[] = [];
  #position = 0;
  #rest = '';

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#read(), pauseMs).unref();
  }

  /** The last lines, each with its end. */
  get tail(): string {
    return this.#last.map((line) => `${line}\n`).join('');
  }

  /** Reads what is there, and no more after it. */
  finish(): void {
    clearInterval(this.#timer);
    this.#read();
    for (const stream of ['stdout', 'stderr'] as const) if (this.#pieces[stream] !== '') this.#take(stream, '');
  }

  #read(): void {
    const { file } = this.#options;
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= this.#position) return;
    const opened = openSync(file, 'r');
    const block = Buffer.alloc(blockBytes);
    for (;;) {
      const count = readSync(opened, block, 0, blockBytes, this.#position);
      if (count === 0) break;
      this.#position += count;
      this.#split(this.#decoder.write(block.subarray(0, count)));
    }
    closeSync(opened);
  }

  #split(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const found = /^\S+ (stdout|stderr) (\S+) (.*)$/s.exec(line);
      if (found === null) continue;
      const [, stream = '', tags = '', piece = ''] = found;
      if (tags.startsWith('P')) this.#pieces[stream as Stream] += piece;
      else this.#take(stream as Stream, piece);
    }
  }

  #take(stream: Stream, end: string): void {
    const line = this.#pieces[stream] + end;
    this.#pieces[stream] = '';
    this.#last.push(line);
    if (this.#last.length > keptLines) this.#last.shift();
    this.#options.onLine(stream, line);
  }
}
