// What `build.ts` puts into one chunk: what nearly every run needs, and what the label of a large stream waits for. A file costs half a millisecond
// to find and open, and the bundler would make a dozen of these.
import 'commander';
import '../src/cli/commands/mutate.ts';
import '../src/cli/mutate/run.ts';
import '../src/cli/version.ts';
