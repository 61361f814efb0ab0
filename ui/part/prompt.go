package part

import (
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/mullion-tui/mullion/model"
)

// Prompt is one line of typing with a sign in front, such as "/" or ":".
type Prompt struct {
	Sign  string
	input textinput.Model
}

// NewPrompt returns a prompt that is ready for keys.
func NewPrompt(sign, text string) Prompt {
	in := textinput.New()
	in.CharLimit = 256
	in.SetValue(text)
	in.CursorEnd()
	// Focus only answers with the command that makes the cursor blink; ours stands still.
	_ = in.Focus()
	return Prompt{Sign: sign, input: in}
}

// Value is what has been typed.
func (p *Prompt) Value() string { return p.input.Value() }

// Set replaces what has been typed and puts the cursor behind it.
func (p *Prompt) Set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
}

// Type takes a key that edits. Pasting from the clipboard of this machine is
// left to the terminal: over ssh it would be the wrong clipboard.
func (p *Prompt) Type(k tea.KeyMsg) {
	if k.String() == "ctrl+v" {
		return
	}
	p.input, _ = p.input.Update(k)
}

// View draws the prompt, at most w cells wide, the cursor always in sight. hint is
// drawn behind it where there is room.
func (p *Prompt) View(w int, ink *Inks, hint string) string {
	runes := []rune(p.input.Value())
	at := p.input.Position()
	before := model.Clean(string(runes[:at]))
	under, after := "█", ""
	if at < len(runes) {
		under, after = model.Clean(string(runes[at:at+1])), model.Clean(string(runes[at+1:]))
	}
	room := w - Width(p.Sign) - Width(under)
	if over := Width(before) - room; over > 0 {
		before = cutLeft(before, room)
	}
	room -= Width(before)
	after = Cut(after, room)
	room -= Width(after)
	line := ink.Paint(Key, p.Sign) + ink.Paint(Text, before) + ink.Cursor.Paint(Text, under) + ink.Paint(Text, after)
	if hint != "" && room > Gap+1 {
		line += ink.Paint(Dim, Cut("  "+hint, room))
	}
	return Cut(line, w)
}
