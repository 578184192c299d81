// The flag that bounds what is read of one stream, the same in every command that reads manifests.
import { InvalidArgumentError, Option } from 'commander';

const usualBytes = 256 * 2 ** 20;

export function maxBytesOption(): Option {
  return new Option('--max-bytes <n>', 'largest stream that is read').argParser(bytes).default(usualBytes, '256 MiB');
}

function bytes(text: string): number {
  const value = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('a whole number of bytes is wanted');
  return value;
}
