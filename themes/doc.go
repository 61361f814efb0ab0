// Package themes gives every part of the screen its colours: palettes of roles,
// the styles made of them, and the themes that an operator wrote.
//
// It is the only place that names a colour. Nothing here carries meaning by
// colour alone: screens put a word or a glyph beside it.
package themes
