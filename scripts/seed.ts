// Gives every law of a test run its seed: fixed unless FAIRWAY_SEED says `random` or a number. A failing law prints the seed it ran with.
import { configureGlobal } from 'fast-check';

const wanted = process.env['FAIRWAY_SEED'] ?? '20261130';
if (wanted !== 'random') configureGlobal({ seed: Number(wanted) });
