// The contract of the container runtimes, kept by processes of this machine in namespaces.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { processNode } from '../../src/adapters/process-runtime/index.ts';
import { contractOf } from '../contract/pod-runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-contract-'));
after(() => rmSync(folder, { recursive: true, force: true }));

contractOf(
  'processes',
  () =>
    processNode({
      stateFolder: join(folder, 'state'),
      logFolder: join(folder, 'logs'),
      images: new Map(),
      network: 'own',
      isolation: 'namespaces',
    }),
  8,
);
