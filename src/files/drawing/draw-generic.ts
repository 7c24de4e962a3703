import type { Canvas } from '@napi-rs/canvas';
import type { MediaType } from '../media-type.ts';
import { longSide, sansSerif, sheet, sheetWidth } from './sheet.ts';

const words: Record<MediaType, string> = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
  'text/plain': 'Text',
};
const ear = 44;

/** A sheet with a dog's ear and the name of a media type. */
export function drawGeneric(mediaType: MediaType): Canvas {
  const { canvas, context } = sheet(sheetWidth, longSide);
  context.strokeStyle = '#8a929c';
  context.lineWidth = 2;
  context.strokeRect(1, 1, sheetWidth - 2, longSide - 2);
  context.fillStyle = '#dfe3e8';
  context.beginPath();
  context.moveTo(sheetWidth - ear, 1);
  context.lineTo(sheetWidth - ear, ear);
  context.lineTo(sheetWidth - 1, ear);
  context.closePath();
  context.fill();
  context.stroke();
  context.fillStyle = '#4a525c';
  context.font = `40px "${sansSerif('Bold')}"`;
  context.textAlign = 'center';
  context.fillText(words[mediaType], sheetWidth / 2, longSide / 2 + 14);
  return canvas;
}
