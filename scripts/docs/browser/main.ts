import { makeAccessible } from './accessibility.ts';
import { readJson } from './read-json.ts';
import { chosenRegion, showRegion } from './region.ts';
import { showTheme } from './theme.ts';

declare const Redoc: {
  init(document: object, options: object, element: Element | null, onLoaded: () => void): void;
};

const region = chosenRegion();
const redoc = document.getElementById('redoc');

showRegion(region);
Redoc.init(
  readJson(`document-${region}`),
  {
    ...readJson(`options-${showTheme()}`),
    scrollYOffset: () => Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--bars')),
  },
  redoc,
  () => {
    if (redoc) makeAccessible(redoc);
  },
);
