// oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call -- Astro makes `astro:content` when it renders.
import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';

export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
