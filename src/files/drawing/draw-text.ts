import type { Canvas } from '@napi-rs/canvas';
import type { InputFile } from '../../analysis/bounded-process/input-file.ts';
import { longSide, sansSerif, sheet, sheetWidth } from './sheet.ts';

const readBytes = 16 * 1024;
const [margin, fontPixels, linePixels] = [10, 7, 9];
/** More do not fit into a line, however narrow. */
const lineCharacters = 160;

/** The first lines of a text on a sheet; long ones are cut at its edge. */
export function drawText(file: InputFile): Canvas {
  const { canvas, context } = sheet(sheetWidth, longSide);
  context.beginPath();
  context.rect(margin, 0, sheetWidth - 2 * margin, longSide);
  context.clip();
  context.fillStyle = '#202428';
  context.font = `${fontPixels}px "${sansSerif('Regular')}"`;
  const lines = beginning(file).split(/\r\n|[\n\r\f]/);
  for (
    let index = 0, y = margin + fontPixels;
    index < lines.length && y < longSide - margin;
    index += 1, y += linePixels
  )
    context.fillText((lines[index] ?? '').replaceAll('\t', '    ').slice(0, lineCharacters), margin, y);
  return canvas;
}

function beginning(file: InputFile): string {
  // The last character may be cut in two.
  return new TextDecoder().decode(file.readBeginning(readBytes), { stream: true });
}
