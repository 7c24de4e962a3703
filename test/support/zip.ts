import { crc32, deflateRawSync } from 'node:zlib';

const [localHeader, centralHeader, endOfDirectory] = [0x04034b50, 0x02014b50, 0x06054b50];
const [version, deflated] = [20, 8];

/** A ZIP archive of these files, by their names. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [fileName, text] of Object.entries(files)) {
    const [name, packed] = [Buffer.from(fileName), deflateRawSync(text)];
    const facts = numbers([2, version], [2, 0], [2, deflated], [4, 0], [4, crc32(text)], [4, packed.length]);
    const sizes = numbers([4, Buffer.byteLength(text)], [2, name.length], [2, 0]);
    const part = Buffer.concat([numbers([4, localHeader]), facts, sizes, name, packed]);
    const place = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(numbers([4, centralHeader], [2, version]), facts, sizes, place, name);
    parts.push(part);
    offset += part.length;
  }
  const count = Object.keys(files).length;
  const listed = Buffer.concat(directory);
  const counts = numbers([4, endOfDirectory], [2, 0], [2, 0], [2, count], [2, count]);
  return Buffer.concat([...parts, listed, counts, numbers([4, listed.length], [4, offset], [2, 0])]);
}

function numbers(...fields: [bytes: 2 | 4, value: number][]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
