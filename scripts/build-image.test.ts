// The recipe of the proxy image against what is built for it: every file that it copies is made, for every platform, and nothing keeps it from the build.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { imageFiles, imagePlatforms } from './build-image.ts';

const read = (name: string): readonly string[] =>
  readFileSync(new URL(`../deploy/image/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
const recipe = read('Dockerfile');

test('the recipe is these steps, and no others', () => {
  assert.deepEqual(
    recipe.map((line) => line.split(' ')[0]),
    ['ARG', 'FROM', 'ARG', 'COPY', 'ENTRYPOINT'],
  );
  // An argument from before FROM is unknown after it; the builder sets TARGETARCH only where it is declared.
  assert.deepEqual(recipe.slice(0, 4), [
    'ARG VERSION',
    'FROM istio/proxyv2:${VERSION}',
    'ARG TARGETARCH',
    'COPY dist/image/${TARGETARCH}/ /',
  ]);
});

test('a folder for each platform, and the context has them', () => {
  assert.deepEqual(imagePlatforms, ['amd64', 'arm64']);
  assert.deepEqual(read('Dockerfile.dockerignore'), ['*', '!dist/image']);
});

test('the entrypoint is made of what is copied', () => {
  const command = JSON.parse(recipe.at(-1)?.replace('ENTRYPOINT ', '') ?? '[]') as readonly string[];
  const programs = command.filter((word) => word.startsWith('/')).map((path) => path.slice(1));
  assert.deepEqual(programs.toSorted(), imageFiles.filter((path) => path.startsWith('usr/local/bin/')).toSorted());
});
