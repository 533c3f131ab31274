package pdf

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// rewrite returns the file with every object written anew, unencrypted.
func (o *opened) rewrite() ([]byte, error) {
	trailer := types.Dict{"Root": *o.ctx.Root}
	if o.ctx.Info != nil {
		trailer["Info"] = *o.ctx.Info
	}
	if o.ctx.ID != nil {
		trailer["ID"] = o.ctx.ID
	}
	return o.written(trailer, writeObject)
}

// written returns a file in which write writes every object.
func (o *opened) written(trailer types.Dict, write func(file *bytes.Buffer, number int, object types.Object) error) ([]byte, error) {
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := map[int]int{}
	for _, number := range o.objectNumbers() {
		object := o.resolve(*types.NewIndirectRef(number, o.generation(number)))
		if object == nil || o.isContainer(object) {
			continue
		}
		offsets[number] = file.Len()
		fmt.Fprintf(&file, "%d %d obj\n", number, o.generation(number))
		if err := write(&file, number, object); err != nil {
			return nil, err
		}
		file.WriteString("\nendobj\n")
	}
	start := file.Len()
	last := slices.Max(o.objectNumbers())
	o.writeTable(&file, offsets, last)
	trailer["Size"] = types.Integer(last + 1)
	fmt.Fprintf(&file, "trailer\n%s\nstartxref\n%d\n%%%%EOF\n", trailer.PDFString(), start)
	return file.Bytes(), nil
}

// writeObject writes the content between obj and endobj.
func writeObject(file *bytes.Buffer, _ int, object types.Object) error {
	stream, ok := streamOf(object)
	if !ok {
		file.WriteString(object.PDFString())
		return nil
	}
	if stream.Raw == nil && stream.Content != nil {
		if err := stream.Encode(); err != nil {
			return err
		}
	}
	head := types.Dict{}
	maps.Copy(head, stream.Dict)
	head["Length"] = types.Integer(len(stream.Raw))
	file.WriteString(head.PDFString() + "\nstream\n")
	file.Write(stream.Raw)
	file.WriteString("\nendstream")
	return nil
}

// isContainer reports whether an object is an object stream, whose objects are written by
// themselves, or the table of objects.
func (o *opened) isContainer(object types.Object) bool {
	switch object.(type) {
	case types.ObjectStreamDict, *types.ObjectStreamDict, types.XRefStreamDict, *types.XRefStreamDict:
		return true
	}
	kind := o.name(o.dict(object)["Type"])
	return kind == "ObjStm" || kind == "XRef"
}

func (o *opened) generation(number int) int {
	if entry := o.ctx.Table[number]; entry != nil && entry.Generation != nil && !entry.Free {
		return *entry.Generation
	}
	return 0
}

// writeTable writes the table of the objects' offsets; the other numbers are free.
func (o *opened) writeTable(file *bytes.Buffer, offsets map[int]int, last int) {
	fmt.Fprintf(file, "xref\n0 %d\n0000000000 65535 f \n", last+1)
	for number := 1; number <= last; number++ {
		if offset, ok := offsets[number]; ok {
			fmt.Fprintf(file, "%010d %05d n \n", offset, o.generation(number))
		} else {
			file.WriteString("0000000000 65535 f \n")
		}
	}
}
