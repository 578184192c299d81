// What `terminated.message` says: the file that the container wrote, or the end of its log where it failed without one
// (kubelet: kuberuntime_container.go, status/status_manager.go). Limits in bytes of UTF-8, because that is what the kubelet cuts.
import type { Container } from './spec.ts';

const fileLimit = 4096;
const logLimit = 2048;
const logLines = 80;
const podLimit = 12 * 1024;

export interface MessageSources {
  readonly exitCode: number;
  /** Content of terminationMessagePath; undefined where there is none. */
  readonly file: string | undefined;
  readonly log: string;
}

export function terminationMessage(container: Container, { exitCode, file, log }: MessageSources): string {
  if (file !== undefined && file !== '') return head(file, fileLimit);
  const fallsBack = container.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
  return fallsBack ? tail(log) : '';
}

/** The messages of all containers of a pod share one budget, in equal parts. */
export function sharedMessages(messages: readonly string[]): readonly string[] {
  const limit = Math.floor(podLimit / Math.max(1, messages.length));
  return messages.map((message) => head(message, limit));
}

function head(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += bytesOf(char);
    if (bytes > limit) return text.slice(0, end);
    end += char.length;
  }
  return text;
}

function tail(log: string): string {
  const lines = log.split('\n');
  const last = lines.slice(-logLines - (log.endsWith('\n') ? 1 : 0)).join('\n');
  const chars = Array.from(last);
  let bytes = 0;
  let start = chars.length;
  while (start > 0) {
    bytes += bytesOf(chars[start - 1]!);
    if (bytes > logLimit) break;
    start--;
  }
  return chars.slice(start).join('');
}

function bytesOf(char: string): number {
  const point = char.codePointAt(0)!;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
