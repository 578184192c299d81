// Whether a text was met before, told by four bytes for each: what memories ask before they hold anything. What comes once and is held
// costs the collector of garbage more than it ever saves. The answer may be wrong both ways, rarely: two texts may have one hash, and a
// newer one may have taken the place of an older; so it decides about memory, never about what is true.

/** Tells whether a hash was given before, and takes note of it. */
export type Sightings = (hash: number) => boolean;

/** @param places how many are known at a time, a power of two */
export function sightings(places: number): Sightings {
  const marks = new Int32Array(places);
  return (hash) => {
    const place = (hash ^ (hash >>> 16)) & (places - 1);
    if (marks[place] === hash) return true;
    marks[place] = hash;
    return false;
  };
}

/** 32 bits of a part of a text. */
export function hashOf(text: string, from = 0, to = text.length): number {
  let hash = 1;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
