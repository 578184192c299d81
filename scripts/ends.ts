// Ends a test process that its tests have left alive: what a failed test leaves (a server, a child, a timer) must not keep a run from ending.
// `--test-force-exit` would do it at once, and loses results that are not yet through the pipe.
import { after } from 'node:test';

/** Time for what a test closes to be closed, and for its results to be read. */
const patienceMs = 20_000;

const { NODE_TEST_CONTEXT: ofOneFile } = process.env;
if (ofOneFile !== undefined || process.execArgv.includes('--test-isolation=none')) after(endLater);

function endLater(): void {
  setTimeout(() => {
    process.stderr.write(
      `ended: the tests are over, and these are left: ${process.getActiveResourcesInfo().join(', ')}\n`,
    );
    // One that holds all files has not told its status yet; of one file, the runner knows each result.
    process.exit(ofOneFile === undefined ? 1 : undefined);
  }, patienceMs).unref();
}
