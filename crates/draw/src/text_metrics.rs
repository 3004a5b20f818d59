//! Text that goes into a picture: made safe, measured, and cut to fit. The measures are those of
//! Helvetica and its look-alikes, since a picture is made without knowing the reader's fonts.

/// The widths of the characters from space to tilde, in thousandths of the font size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278,
    278, // space to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];

/// Room for fonts that run wider than Helvetica.
const RESERVE: f64 = 1.06;

/// Returns the text without characters that could hide or break something: control characters,
/// marks that change the direction of reading, and code points that XML forbids. White space of any
/// kind becomes a space.
pub fn clean(text: &str) -> String {
    let kept = text.chars().filter_map(|character| match character {
        character if character.is_whitespace() => Some(' '),
        character if character.is_control() => None,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => None,
        character => Some(character),
    });
    kept.collect()
}

/// Estimates the width of a text at this font size, in pixels. The real font is not known.
pub fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(|c| u32::from(character_width(c))).sum();
    f64::from(thousandths) / 1000.0 * size * RESERVE
}

/// Returns the text, or its beginning and end with `…` between them if it is wider than `limit`.
/// Names tend to share their beginnings, so the end must stay to tell them apart.
pub fn cut(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_string();
    }
    let characters: Vec<char> = text.chars().collect();
    let (mut head, mut tail) = (0, characters.len());
    let mut room = limit - width("…", size);
    while head < tail {
        // From both ends in turn.
        let at_head = head <= characters.len() - tail;
        let next = if at_head { head } else { tail - 1 };
        room -= width(characters[next].encode_utf8(&mut [0; 4]), size);
        if room < 0.0 {
            break;
        }
        if at_head {
            head += 1;
        } else {
            tail -= 1;
        }
    }
    // A mark that belongs to a character which was cut away would land on the ellipsis.
    while tail < characters.len() && character_width(characters[tail]) == 0 {
        tail += 1;
    }
    let (head, tail) = (&characters[..head], &characters[tail..]);
    head.iter().chain(['…'].iter()).chain(tail).collect()
}

/// Returns the width of a character, in thousandths of the font size.
fn character_width(character: char) -> u16 {
    match character {
        ' '..='~' => WIDTHS[character as usize - ' ' as usize],
        // Combining marks, joiners and variation selectors.
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' => 0,
        // Chinese, Japanese and Korean.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{20000}'..='\u{3fffd}' => 1000,
        // Symbols and pictures.
        '…' | '\u{2190}'..='\u{2bff}' => 1000,
        '\u{1f000}'..='\u{1faff}' => 1250,
        _ => 640,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleans() {
        let check = |text: &str, expected: &str| assert_eq!(clean(text), expected);
        check("a\nb\tc\r\nd", "a b c  d");
        check("bell\u{7} nul\u{0} c1\u{85}\u{9b}", "bell nul c1 ");
        check("safe\u{202e}gpj.exe\u{2066}", "safegpj.exe");
        check("<&>\"' é 漢字 🦀", "<&>\"' é 漢字 🦀");
        check("\u{fffe}\u{ffff}\u{feff}", "");
    }

    #[test]
    fn measures() {
        assert!(width("iiii", 12.0) < width("mmmm", 12.0));
        assert!(width("漢字", 12.0) >= 24.0);
        assert_eq!(width("e\u{301}", 12.0), width("e", 12.0));
        assert_eq!(width("", 12.0), 0.0);
    }

    #[test]
    fn cuts_in_the_middle_and_fits() {
        let check = |text: &str, limit: f64, expected: &str| {
            let cut = cut(text, 10.0, limit);
            assert_eq!(cut, expected);
            assert!(width(&cut, 10.0) <= limit.max(width("…", 10.0)));
        };
        check("short", 100.0, "short");
        check("@acme/a-very-long-package-name-for-web", 100.0, "@acme/a-…-for-web");
        check("漢字漢字漢字漢字漢字", 60.0, "漢字…漢字");
        check("aaaaaaaaaae\u{301}", 40.0, "aaa…e\u{301}");
        check("anything", 0.0, "…");
    }
}
